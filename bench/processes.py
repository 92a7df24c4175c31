"""What a benchmark prints in a process of its own."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def measured(file, implementation, *arguments):
    """The JSON in the last line that a fresh Python process prints which runs a file with these arguments; leaves where it fails."""
    done = subprocess.run([sys.executable, str(file), *arguments], capture_output=True, text=True, cwd=ROOT,
                          env=os.environ | {"PYTHONPATH": str(ROOT)})
    if done.returncode:
        sys.exit(f"{implementation} stopped:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])
