"""Runs the program of this wheel: `python -m jsift ARGUMENTS`, also where its folder is not in PATH."""

import os
import sys
import sysconfig


def find_program():
    """Returns the path of the program: where this interpreter, the user or `pip install --target` has programs."""
    name = "jsift" + (sysconfig.get_config_var("EXE") or "")
    package = os.path.dirname(os.path.abspath(__file__))
    user = "nt_user" if os.name == "nt" else "posix_user"
    if sys.platform == "darwin" and sysconfig.get_config_var("PYTHONFRAMEWORK"):
        user = "osx_framework_user"
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", scheme=user),
        os.path.join(os.path.dirname(package), "bin"),
    ]
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise SystemExit("jsift: the program is not in any of " + ", ".join(folders))


def main():
    program = find_program()
    if os.name == "nt":
        import subprocess

        # The interrupt is for the program, which ends by itself.
        process = subprocess.Popen([program, *sys.argv[1:]])
        while True:
            try:
                raise SystemExit(process.wait())
            except KeyboardInterrupt:
                pass
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
