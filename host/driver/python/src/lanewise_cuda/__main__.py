"""`python -m lanewise_cuda exec|sanitize [OPTIONS] -- PROGRAM`: the program `lanewise`, with its driver beside it."""

import os
import sys

import lanewise_cuda


def main():
    path = lanewise_cuda.program()
    os.execv(path, [str(path), *sys.argv[1:]])


if __name__ == "__main__":
    main()
