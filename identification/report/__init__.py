"""The report of a fit: one HTML page that can be sent to somebody who has nothing installed."""
from identification.report.page import page, picture, write_report

__all__ = ["page", "picture", "write_report"]
