"""Gives the wheel the tag of the machines that its library runs on, which `LANEWISE_WHEEL_TAG` names."""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['LANEWISE_WHEEL_TAG']}"
