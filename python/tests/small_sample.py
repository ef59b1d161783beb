"""Fits of kernel machines by passes, which keep a smaller sample than 20,000 rows: they then need fewer rows."""

from ardvark import _core

FIT_ROWS = _core.fit_rows


def with_sample(question, rows):
    """The question with this many rows in the sample, and with the checksum of its header (src/io/safetensors.hpp)."""
    end = 8 + int.from_bytes(question[:8], "little")
    header = question[8:end].replace(rb'\"sample_rows\":20000', rb'\"sample_rows\":%5d' % rows)
    place = header.index(b'"header_checksum":"') + len(b'"header_checksum":"')
    header = header[:place] + 16 * b"0" + header[place + 16 :]
    total = len(header)
    for first in range(0, len(header), 8):
        total = (total ^ int.from_bytes(header[first : first + 8], "little")) * 0x9E3779B97F4A7C15 % 2**64
        total ^= total >> 32
    return question[:8] + header[:place] + b"%016x" % total + header[place + 16 :] + question[end:]


def use_sample(monkeypatch, rows):
    """Fits by passes keep a sample of this many rows, at most 20,000."""
    monkeypatch.setattr(_core, "fit_rows", lambda ask, **options: FIT_ROWS(lambda question: ask(with_sample(question, rows)), **options))
