"""The report: one page over all studies, with tables that sort, filter and compare."""
