// Loaded into each process of the product that is benched: at SIGUSR2 it collects all its garbage, and writes what it then
// needs, in bytes, to `BENCH_LIVES`/<pid>. From outside, V8's garbage cannot be told from what lives on.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const folder = process.env.BENCH_LIVES;
if (isMainThread && folder !== undefined) {
  v8.setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    const { rss, heapTotal, heapUsed } = process.memoryUsage();
    const file = join(folder, String(process.pid));
    // A process that waits for the file finds it whole.
    writeFileSync(`${file}.part`, JSON.stringify({ lives: rss - heapTotal + heapUsed }));
    renameSync(`${file}.part`, file);
  });
}
