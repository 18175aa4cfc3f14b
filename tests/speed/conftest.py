"""The benchmark is a folder of scripts: its tests import it as it imports itself."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
