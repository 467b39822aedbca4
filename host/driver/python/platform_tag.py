"""Gives the wheel the tag of this machine, whose library it carries. `cargo xtask wheel` then finds the oldest glibc that has all
that the library needs.
"""

import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_')}"
