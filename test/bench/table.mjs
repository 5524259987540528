/** The report for people: the machine in a line, then a row for each result, beside what the last run found. */
export function table({ machine, preset, results }, before = []) {
  const { baselines } = machine;
  const rows = [
    ['', 'figure', 'baseline', 'ratio', 'p50 ms', 'p99 ms', 'required', '', 'last time'],
    ...results.map((result) => [
      result.name,
      `${number(result.value)} ${result.unit}`,
      result.baseline ? number(result.baseline.value) : '',
      result.ratio ? result.ratio.toFixed(2) : '',
      result.millis ? result.millis.p50.toFixed(1) : '',
      result.millis ? result.millis.p99.toFixed(1) : '',
      result.required ?? '',
      result.passed === null ? '' : result.passed ? 'ok' : 'NOT MET',
      lastTime(before.find(({ name }) => name === result.name)),
    ]),
  ];
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, Node ${machine.node}, Postgres ${baselines.postgres}; ${preset.name} run`,
    `SHA-256 ${number(baselines.sha256MegabytesPerSecond)} MB/s, fsync ${number(baselines.fsyncsPerSecond)}/s, ` +
      `Postgres commits ${number(baselines.postgresCommitsPerSecond)}/s`,
    '',
    ...lines,
    '',
  ].join('\n');
}

const number = (value) => value.toLocaleString('en-US');

function lastTime(result) {
  if (!result) return '';
  return `${number(result.value)} ${result.ratio ? `(${result.ratio.toFixed(2)})` : ''}`.trimEnd();
}
