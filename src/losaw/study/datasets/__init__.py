"""The real data of the papers: found or downloaded, checked, read and cleaned."""

from losaw.study.datasets.files import DatasetError as DatasetError
from losaw.study.datasets.files import data_folder as data_folder
from losaw.study.datasets.files import is_there as is_there
from losaw.study.datasets.frames import load as load
from losaw.study.datasets.frames import load_cleaned as load_cleaned
from losaw.study.datasets.sources import SOURCES as SOURCES
