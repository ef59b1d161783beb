// A fit as one page of HTML, to be sent to a colleague: it is one file, loads nothing, and can be printed.
#pragma once

#include <string>
#include <vector>

#include "ardvark/compare.hpp"
#include "ardvark/model.hpp"
#include "ardvark/select.hpp"

namespace ardvark {

/// A file whose rows a report describes.
struct ReportFile {
  std::string name;    ///< as the page shows it
  std::string sha256;  ///< 64 hexadecimal digits: sha256_of_file()
};

/// Rows with their target, which a report compares with what the model predicts: those of the fit, or others.
struct ReportRows {
  MatrixView X = {};       ///< [n,p] as in predict(); empty: there are none
  MatrixView target = {};  ///< [n,1] numbers or positions in classes_of(model), many targets [n,targets]; NaN: not known; empty: none is
  VectorView row_offset = {};          ///< [n] counts, if the fit had one; otherwise empty
  std::vector<ReportFile> files = {};  ///< where they come from; empty: from the memory, and the page has the checksum of the numbers
  std::vector<Index> numbers = {};     ///< [n] the row that the page calls each, from 1; empty: 1, 2, ...
  Index num_left_out = 0;              ///< rows of the files that are not here, because a value is missing
};

struct ReportOptions {
  double level = 0.95;       ///< of the intervals, in (0, 1); not of many targets
  std::string title = {};    ///< heading of the page; empty: what was fitted
  std::string command = {};  ///< how the fit is made again; empty: the command of the program, from the options that the model keeps
  std::vector<std::string> column_names = {};  ///< [p] other names of the columns of a model; empty: its own
  double fdr = 0.1;                            ///< many targets: rate of false discoveries among those that are explained, in (0, 1)
  MatrixView coefficients = {};                ///< many targets: [p,targets] of fits that wrote them elsewhere
};

/// The page: what was fitted and on what; coefficients with their intervals, or the curves of a kernel machine; how the rows that are given
/// lie about their predictions; what the evidence says; warnings; how to make the fit again; what to write in a paper. The same arguments
/// give the same bytes. Of many columns, or rows, the page shows some and says so: it has less than 300 kB.
/// \param rows  of more than 20,000, or of more than 2^24 numbers, every k-th is compared with its prediction
/// \throws InvalidArgument  the level is not between 0 and 1; `rows` or names have another size; as predict()
[[nodiscard]] std::string html_report(const SavedModel& model, const ReportRows& rows = {}, const ReportOptions& options = {});

/// The same of many targets: which of them the columns explain, how well, and by what.
/// \param rows  target [n,targets] \throws InvalidArgument  the rate is not between 0 and 1; as above
[[nodiscard]] std::string html_report(const SavedTargets& targets, const ReportRows& rows = {}, const ReportOptions& options = {});
/// The same of a comparison of models: their log evidence, and which one to take. Of the options, title and command are read, and of the
/// rows what says where they come from.
[[nodiscard]] std::string html_report(const Comparison& comparison, const ReportRows& rows = {}, const ReportOptions& options = {});
/// The same of a selection: how often each column is kept when the rows change.
[[nodiscard]] std::string html_report(const SelectionCounts& counts, const ReportRows& rows = {}, const ReportOptions& options = {});

/// The checksum SHA-256 of the bytes of a file, as `sha256sum` prints it. \throws EnvironmentError  it cannot be read
[[nodiscard]] std::string sha256_of_file(const std::string& path);
/// The same of numbers in memory: row by row X and then the target, as doubles of 8 bytes, the least significant byte first. In Python, of
/// NumPy's arrays: hashlib.sha256(numpy.column_stack([X, y]).astype("<f8").tobytes()).hexdigest()
/// \param target  [rows, any] may be empty
[[nodiscard]] std::string sha256_of_numbers(MatrixView X, MatrixView target);

}  // namespace ardvark
