import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** Of each command, so that one that hangs is ended. It takes a tenth of that by itself, and more beside other specs. */
const LIMIT_MILLIS = 240_000;
const root = join(import.meta.dirname, '../..');
const FOLDERS = ['libs/contexts/wallets', 'projections/wallets', 'apps/api/wallets'];
/** The copy, in which `npm run new:context wallets` is run. */
let copy: string;
let generated: Ended;

interface Ended {
  readonly code: number;
  /** Both streams. */
  readonly printed: string;
}

/** What a command prints in the copy, and how it ends. */
function inCopy(program: string, ...args: string[]): Promise<Ended> {
  return run(copy, program, args);
}

function run(cwd: string, program: string, args: string[]): Promise<Ended> {
  const options = { cwd, timeout: LIMIT_MILLIS, maxBuffer: 16 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, printed: stdout + stderr });
    });
  });
}

/** A program of a package, run by the Node of the tests. */
const bin = (name: string, ...args: string[]) =>
  inCopy(process.execPath, join(copy, 'node_modules/.bin', name), ...args);
const typeErrors = () => inCopy(process.execPath, 'test/new-context/check-types.ts', ...FOLDERS);
const cruised = (config: string, ...folders: string[]) => bin('depcruise', '--config', config, ...folders);
const git = async (...args: string[]): Promise<string> => {
  const { code, printed } = await inCopy('git', ...args);
  if (code !== 0) throw new Error(printed);
  return printed;
};

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'new-context-'));
  const ours = await run(root, 'git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
  if (ours.code !== 0) throw new Error(`The files of the project cannot be listed: ${ours.printed}`);
  // One that was removed and is not committed yet is listed too.
  const files = ours.printed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) await cp(join(root, file), join(copy, file));
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await git('init', '--quiet');
  await git('add', '--all');
  await git(
    ...['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgSign=false'],
    ...['commit', '--quiet', '--no-verify', '--message', 'Before'],
  );
  generated = await inCopy(process.execPath, 'apps/cli/bootstrap.mjs', 'new-context', 'wallets');
}, LIMIT_MILLIS);
afterAll(() => rm(copy, { recursive: true, force: true }));

describe('a context that npm run new:context has made', () => {
  it('is in three folders, and nothing else has changed', async () => {
    expect(generated).toEqual({ code: 0, printed: expect.stringContaining('The context wallets:') });
    const changed = (await git('status', '--porcelain', '--untracked-files=normal')).trim().split('\n');
    expect(changed.toSorted()).toEqual(FOLDERS.map((folder) => `?? ${folder}/`).toSorted());
  });

  it(
    'compiles',
    async () => {
      expect(await typeErrors()).toEqual({ code: 0, printed: '' });
    },
    LIMIT_MILLIS,
  );

  it(
    'keeps to the rules of the linters',
    async () => {
      expect(await bin('eslint', '--max-warnings', '0', ...FOLDERS)).toEqual({ code: 0, printed: '' });
      expect(await bin('prettier', '--check', '--log-level', 'warn', ...FOLDERS)).toEqual({
        code: 0,
        printed: '',
      });
      const none = { code: 0, printed: expect.stringContaining('no dependency violations found') };
      expect(await cruised('.dependency-cruiser.cjs', ...FOLDERS)).toEqual(none);
      expect(await cruised('.purity.cjs', FOLDERS[0]!)).toEqual(none);
    },
    LIMIT_MILLIS,
  );

  it(
    'decides, is projected, audited and answered for over HTTP: its own specs pass',
    async () => {
      const report = join(copy, 'report.json');
      const { code, printed } = await bin('jest', 'wallets', '--json', '--outputFile', report, '--runInBand');
      if (code !== 0) throw new Error(`The specs ended with ${code}:\n${printed}`);
      const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
        testResults: { name: string; status: string }[];
      };
      const passed = testResults.map(({ name, status }) => `${status} ${name.slice(copy.length + 1)}`);
      expect(passed.toSorted()).toEqual([
        'passed apps/api/wallets/wallets.e2e.spec.ts',
        'passed libs/contexts/wallets/wallet.spec.ts',
      ]);
    },
    LIMIT_MILLIS,
  );
});

/** Changes a file of the copy while `work` goes on. */
async function withChanged<T>(
  file: string,
  change: (text: string) => string,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(copy, file);
  const before = await readFile(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${file} is as it was`);
  await writeFile(path, after);
  try {
    return await work();
  } finally {
    await writeFile(path, before);
  }
}

/** What else is refused by name: `route-access.spec.ts` has a permission that nobody has, `codec.spec.ts` an unknown event type. */
describe('a defect in a new context', () => {
  const [context] = FOLDERS as [string];

  it(
    'is named with the way to it, if its decider loads something impure two files away',
    async () => {
      const limits = { 'limits.ts': `export { LIMIT } from './limit-store.js';\n` };
      const store = {
        'limit-store.ts': `import pg from 'pg';\n\nexport const LIMIT = pg.defaults.database;\n`,
      };
      for (const [name, text] of Object.entries({ ...limits, ...store }))
        await writeFile(join(copy, context, name), text);
      const { code, printed } = await withChanged(
        `${context}/wallet.ts`,
        (text) => `export { LIMIT } from './limits.js';\n${text}`,
        () => cruised('.purity.cjs', context),
      );
      for (const name of Object.keys({ ...limits, ...store })) await rm(join(copy, context, name));
      expect(code).not.toBe(0);
      expect(printed.replaceAll(/\S*(?=node_modules)/g, '')).toContain(
        [
          `error pure-code-loads-nothing-impure: ${context}/wallet.ts → node_modules/pg/esm/index.mjs`,
          `      ${context}/limits.ts →`,
          `      ${context}/limit-store.ts →`,
          '      node_modules/pg/esm/index.mjs',
        ].join('\n'),
      );
    },
    LIMIT_MILLIS,
  );

  it(
    'is named, if its manifest has no audit rules',
    async () => {
      const { code, printed } = await withChanged(
        `${context}/wallets.context.ts`,
        (text) => text.replace('  auditRules,\n', ''),
        typeErrors,
      );
      expect(code).not.toBe(0);
      expect(printed).toMatch(
        /^libs\/contexts\/wallets\/wallets\.context\.ts\(\d+,\d+\): error TS2345: .*\n {2}Property 'auditRules' is missing in type /,
      );
    },
    LIMIT_MILLIS,
  );
});
