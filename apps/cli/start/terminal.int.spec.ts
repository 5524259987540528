import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { compiledPath } from '../processes/paths.js';

const FULL = '/dev/full';

describe('Terminal', () => {
  it('does not end the process when standard output is a file on a full disk', async () => {
    if (!existsSync(FULL))
      return void process.stderr.write(`\nSKIPPED: a full standard output, for want of ${FULL}\n`);
    const full = await open(FULL, 'w');
    const script = `
      const { Terminal } = await import('${pathToFileURL(compiledPath('apps/cli/start/terminal.js')).href}');
      const terminal = new Terminal();
      terminal.printLine('one');
      setTimeout(() => process.stderr.write('it goes on'), 50);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', full.fd, 'pipe'],
    });
    const ended = once(child, 'close');
    expect(await text(child.stderr!)).toBe('it goes on');
    expect(await ended).toEqual([0, null]);
    await full.close();
  });
});
