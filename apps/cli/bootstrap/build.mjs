// Compiles the sources to dist/ with swc: only what has changed, and nothing stays whose source is gone.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const dist = join(root, 'dist');
const stamp = join(dist, '.build');
const sourceFolders = ['apps', 'libs', 'projections'];

/**
 * Brings dist/ up to date and returns the sources that were compiled or removed, relative to the root.
 * Two builds at once do no harm: files are written aside and renamed.
 *
 * @returns {Promise<string[]>}
 */
export async function build() {
  const sources = (await Promise.all(sourceFolders.map((folder) => filesIn(join(root, folder)))))
    .flat()
    .filter(isSource);
  const wanted = new Map(sources.map((source) => [outputOf(source), source]));
  const removed = await removeOrphans(wanted);
  const everything = await settingsChanged();
  const stale = [];
  for (const [output, source] of wanted)
    if (everything || (await isStale(source, output))) stale.push([source, output]);

  const failures = [];
  const { transformFile } = stale.length > 0 ? await import('@swc/core') : {};
  await Promise.all(
    stale.map(([source, output]) =>
      emit(source, output, transformFile).catch((error) => failures.push([source, error])),
    ),
  );
  if (failures.length > 0)
    throw new Error(
      failures
        .map(([source, error]) => `${relative(root, source)}: ${withoutBacktrace(error.message)}`)
        .join('\n'),
    );
  await mkdir(dist, { recursive: true });
  await writeFile(stamp, await settingsHash());
  return [...stale.map(([source]) => relative(root, source)), ...removed];
}

/** swc's message with its picture of the source, and without the stack of swc itself. */
function withoutBacktrace(message) {
  return message.split('\n\nCaused by')[0].trim();
}

/** Tests are not built; every other file beside the sources (templates, styles) is copied as it is. */
function isSource(path) {
  return !/\.spec\.ts$|\.d\.m?ts$|\.mjs$|\.cjs$|\.md$/.test(path);
}

function outputOf(source) {
  return join(dist, relative(root, source).replace(/\.ts$/, '.js'));
}

// The output carries its source's time, so that a source that was replaced by an older one counts as changed too.
async function isStale(source, output) {
  const [from, to] = await Promise.all([stat(source), stat(output).catch(() => undefined)]);
  return !to || Math.abs(from.mtimeMs - to.mtimeMs) > 1;
}

async function emit(source, output, transformFile) {
  const { atime, mtime } = await stat(source);
  await mkdir(dirname(output), { recursive: true });
  const draft = `${output}.${process.pid}.new`;
  if (source.endsWith('.ts')) {
    const sourceFileName = relative(dirname(output), source);
    const { code, map } = await transformFile(source, { cwd: root, root, sourceFileName });
    const name = output.slice(dirname(output).length + 1);
    await writeFile(draft, `${code}\n//# sourceMappingURL=${name}.map\n`);
    await writeFile(`${draft}.map`, map);
    await rename(`${draft}.map`, `${output}.map`);
  } else {
    await copyFile(source, draft);
  }
  await utimes(draft, atime, mtime);
  await rename(draft, output);
}

async function removeOrphans(wanted) {
  const outputs = (await Promise.all(sourceFolders.map((folder) => filesIn(join(dist, folder))))).flat();
  const orphans = outputs.filter(
    (path) => !wanted.has(path.replace(/\.js\.map$/, '.js')) && !path.endsWith('.new'),
  );
  await Promise.all(orphans.map((path) => rm(path, { force: true })));
  return orphans
    .filter((path) => path.endsWith('.js'))
    .map((path) => relative(dist, path).replace(/\.js$/, '.ts'));
}

async function settingsHash() {
  const files = [
    join(root, '.swcrc'),
    join(root, 'node_modules/@swc/core/package.json'),
    fileURLToPath(import.meta.url),
  ];
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex');
}

async function settingsChanged() {
  return (await readFile(stamp, 'utf8').catch(() => '')) !== (await settingsHash());
}

async function filesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    const built = await build();
    if (built.length > 0)
      process.stdout.write(`Built ${built.length} file${built.length === 1 ? '' : 's'}\n`);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
