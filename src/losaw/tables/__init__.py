"""A person's own table: its columns as numbers and back, their kinds, groups of columns."""

from losaw.tables.groups import groups_of as groups_of
from losaw.tables.table import Table as Table
from losaw.tables.table import read_table as read_table
