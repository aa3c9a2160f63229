"""The real data of the papers: found or downloaded, checked, read and cleaned."""

from losaw.datasets.cleaning import PREPARED_SHAPES as PREPARED_SHAPES
from losaw.datasets.cleaning import prepare as prepare
from losaw.datasets.files import DatasetError as DatasetError
from losaw.datasets.files import data_folder as data_folder
from losaw.datasets.files import is_there as is_there
from losaw.datasets.raw_files import load as load
from losaw.datasets.sources import SOURCES as SOURCES
