// Part of `npm run lint`: Redocly and Spectral on the OpenAPI document that the built API makes. They ask nobody on the
// network, and report nothing to anybody.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const bin = (name) => join(root, 'node_modules/.bin', name);
const rules = (name) => join(import.meta.dirname, `${name}.yaml`);
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const folder = mkdtempSync(join(tmpdir(), 'countinghouse-openapi-'));
try {
  const file = join(folder, 'openapi.json');
  const made = run([process.execPath, join(root, 'apps/cli/bootstrap.mjs'), 'openapi']);
  if (made) writeFileSync(file, made.stdout);
  const linters = [
    [bin('redocly'), 'lint', file, '--config', rules('redocly'), '--format', 'stylish'],
    [bin('spectral'), 'lint', file, '--ruleset', rules('spectral'), '--fail-severity', 'hint', '--quiet'],
  ];
  if (!made || !linters.every(run)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** What a program printed; undefined if it failed, and then everybody reads it. */
function run([program, ...args]) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status === 0) return { stdout };
  process.stderr.write(`${error?.message ?? ''}${stdout}${stderr}`);
  return undefined;
}
