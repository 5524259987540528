// Joins the compiled files of each program to a few files in dist/programs, because Node takes twice as long to load a thousand small
// files.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { keepClassNames } from './class-names.mjs';

/** The file in dist/programs that tells which compiled files each program consists of. */
const INPUTS = 'inputs.json';
/**
 * A program that was started before a build still loads the parts of the previous build. So parts that the new build does not use stay for
 * a week.
 */
const KEPT_MILLIS = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns the programs among the compiled files, by the name of the program. A `main.js` is named after its folder, and the file of a
 * thread (`*.worker.js`) after itself.
 *
 * @param {Iterable<string>} compiled
 * @returns {Record<string, string>}
 */
function programsOf(compiled) {
  const programs = {};
  for (const file of compiled) {
    if (file.endsWith(`${sep}main.js`)) programs[basename(dirname(file))] = file;
    else if (file.endsWith('.worker.js')) programs[basename(file, '.js')] = file;
  }
  return programs;
}

/**
 * Tells whether dist/programs has the file of each program.
 *
 * @param {string} dist
 * @param {Iterable<string>} compiled all compiled files
 */
export function isBundled(dist, compiled) {
  const names = [INPUTS, ...Object.keys(programsOf(compiled)).map((name) => `${name}.js`)];
  return names.every((name) => existsSync(join(dist, 'programs', name)));
}

/**
 * Writes the programs `dist/programs/<name>.js`. Packages are not included. Throws an Error with the bundler's messages.
 *
 * @param {string} dist
 * @param {string[]} compiled all compiled files
 */
export async function bundle(dist, compiled) {
  const { build, stop } = await import('esbuild');
  const programs = programsOf(compiled);
  const root = dirname(dist);
  const result = await build({
    absWorkingDir: root,
    entryPoints: programs,
    outdir: join(dist, 'programs'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    packages: 'external',
    // tsconfig.json is ignored, because its paths lead to the sources. The paths of package.json lead to the compiled files.
    tsconfigRaw: '{}',
    // The source maps are for `node --enable-source-maps`. Without this option Node does not read them.
    sourcemap: true,
    sourcesContent: false,
    plugins: [compiledFiles(dist, compiled)],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
    .catch((error) => {
      throw new Error(error.errors?.map(messageOf).join('\n') || error.message, { cause: error });
    })
    // The bundler is a process of its own. Without `stop`, it would run until this process ends, for example as long as `npm start` runs.
    .finally(stop);
  const entries = Object.keys(programs).map((name) => `${name}.js`);
  await write(join(dist, 'programs'), result.outputFiles, entries);
  await writeWhole(join(dist, 'programs', INPUTS), JSON.stringify(inputsOf(programs, result.metafile)));
}

function messageOf({ text, location }) {
  return location ? `${location.file}:${location.line}: ${text}` : text;
}

/**
 * Returns an esbuild plugin that reads the compiled files. With the plugin, each class keeps its name, and `discoverFiles` finds the files
 * that existed at the build.
 */
function compiledFiles(dist, compiled) {
  return {
    name: 'compiled files',
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => {
        const code = await readFile(path, 'utf8');
        const found = withDiscoveredFiles(dist, compiled, code);
        if (found === undefined)
          return {
            errors: [{ text: 'discoverFiles needs two literals: the build must know which files it finds' }],
          };
        return { contents: keepClassNames(found) };
      });
    },
  };
}

/**
 * `discoverFiles` reads folders when the program runs. For a bundled program, this function adds the files that `discoverFiles` would find
 * to each call. Returns undefined if a call does not name the parent and the kind as literals.
 */
function withDiscoveredFiles(dist, compiled, code) {
  const call = /\bdiscoverFiles\('([^']+)', '([^']+)'/g;
  const calls = code.match(/(?<!function )\bdiscoverFiles\(/g)?.length ?? 0;
  if ([...code.matchAll(call)].length !== calls) return undefined;
  return code.replaceAll(call, (text, parent, kind) => {
    const loads = filesOf(dist, compiled, parent, kind).map(
      ([folder, file]) => `[${JSON.stringify(folder)}, () => require(${JSON.stringify(file)})]`,
    );
    return `${text}, [${loads.join(', ')}]`;
  });
}

/** Returns the folder and the path of each file that `discoverFiles(parent, kind)` finds, in the order of `discoverFiles`. */
function filesOf(dist, compiled, parent, kind) {
  return compiled
    .filter((file) => {
      const folder = basename(dirname(file));
      return file === join(dist, parent, folder, `${folder}.${kind}.js`);
    })
    .map((file) => [basename(dirname(file)), file])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Returns the compiled files of each program, relative to dist/. */
function inputsOf(programs, { outputs }) {
  const partsOf = (name, seen = new Set()) => {
    if (seen.has(name)) return seen;
    seen.add(name);
    for (const { path } of outputs[name]?.imports ?? []) partsOf(path, seen);
    return seen;
  };
  return Object.fromEntries(
    Object.keys(programs).map((name) => {
      const files = [...partsOf(`dist/programs/${name}.js`)].flatMap((part) =>
        Object.keys(outputs[part]?.inputs ?? {}),
      );
      return [name, [...new Set(files)].map((file) => file.slice('dist/'.length)).sort()];
    }),
  );
}

/** Writes the files of the programs to the folder, and removes old files that no program uses. */
async function write(folder, files, entries) {
  await mkdir(folder, { recursive: true });
  const isEntry = ({ path }) => entries.includes(basename(path));
  // The parts are written first, because a program must not exist before its parts.
  for (const group of [files.filter((file) => !isEntry(file)), files.filter(isEntry)])
    await Promise.all(group.map(({ path, contents }) => writeWhole(path, contents)));
  const current = new Set([INPUTS, ...files.map(({ path }) => basename(path))]);
  const unused = readdirSync(folder).filter(
    (name) => !current.has(name) && Date.now() - statSync(join(folder, name)).mtimeMs > KEPT_MILLIS,
  );
  await Promise.all(unused.map((name) => rm(join(folder, name), { force: true })));
}

async function writeWhole(path, contents) {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, contents);
  await rename(draft, path);
}
