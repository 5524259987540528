import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliCommand } from './cli-command.js';
import { Command, AppendedHelp, Option } from './command-decorators.js';
import { commandLineOf } from './command-line.js';
import { CommandGroup } from './command-group.js';

const ran: unknown[] = [];

@Command({
  name: 'pack',
  description: 'Pack a box.',
  arguments: '<box> [things...]',
  argsDescription: { box: 'which one', things: 'what goes into it' },
})
class PackCommand extends CliCommand {
  override async run(words: string[], options: object): Promise<void> {
    ran.push([words, options]);
  }

  @Option({ flags: '--weight <kg>', description: 'At most', required: true })
  weight(value: string): number {
    if (value === 'x') throw new Error('--weight must be a number');
    return Number(value);
  }

  @Option({ flags: '--label <text>', description: 'Repeat for more' })
  label(value: string, earlier: string[] = []): string[] {
    return [...earlier, value];
  }

  @AppendedHelp()
  async examples(): Promise<string> {
    ran.push('asked for help');
    return '\nExamples: none';
  }
}

@Command({ name: 'boxes', description: 'Work with boxes.', subCommands: [PackCommand] })
class BoxesCommand extends CommandGroup {}

async function read(...words: string[]) {
  ran.length = 0;
  const printed: string[] = [];
  const line = await commandLineOf(BoxesCommand, words, '1.2.3');
  for (const command of [line, ...line.commands])
    command.exitOverride().configureOutput({
      writeOut: (text) => printed.push(text),
      writeErr: (text) => printed.push(text),
    });
  const problem = await line.parseAsync(words, { from: 'user' }).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { ran: [...ran], printed: printed.join(''), problem };
}

abstract class Shared extends CliCommand {
  @Option({ flags: '--shared', description: 'Of the base class' })
  shared(): boolean {
    return true;
  }
}

@Command({ name: 'own', description: 'Has an option of its base class.' })
class OwnCommand extends Shared {
  override async run(words: string[], options: object): Promise<void> {
    ran.push([words, options]);
  }
}

it('a command has the options of its base class', async () => {
  ran.length = 0;
  const line = await commandLineOf(OwnCommand, ['--shared'], '1.2.3');
  await line.parseAsync(['--shared'], { from: 'user' });
  expect(ran).toEqual([[[], { shared: true }]]);
});

describe('the command line', () => {
  it('runs a command with its arguments, and options as their methods parse them', async () => {
    const words = ['pack', 'a', '--weight', '3', 'b', '--label', 'one', '--label', 'two'];
    expect(await read(...words)).toMatchObject({
      ran: [[['a', 'b'], { weight: 3, label: ['one', 'two'] }]],
      problem: undefined,
    });
  });

  it('describes errors', async () => {
    const wrong: [string[], string][] = [
      [['pack', '--weight', '3'], "missing required argument 'box'"],
      [['pack', 'a'], "required option '--weight <kg>' not specified"],
      [['pack', 'a', '--weight', '3', '--wait', '3'], "unknown option '--wait'"],
      [['pack', 'a', '--weight', 'x'], '--weight must be a number'],
      [['unpack'], 'There is no command "boxes unpack"; the commands of "boxes" are pack'],
    ];
    for (const [words, expected] of wrong) expect((await read(...words)).problem).toContain(expected);
  });

  it.each(['-V', '--version'])('prints its version for %s, and runs nothing', async (word) => {
    expect(await read(word, 'pack', 'a', '--weight', '3')).toMatchObject({ ran: [], printed: '1.2.3\n' });
    expect((await read('--help')).printed).toContain('-V, --version');
  });

  it('calls the help method of a command only if its help is requested', async () => {
    const help = await read('pack', '--help');
    expect(help.printed).toMatch(/^Usage: boxes pack \[options\] <box> \[things\.\.\.\]\n/);
    for (const text of ['which one', 'what goes into it', '--weight <kg>', 'Examples: none'])
      expect(help.printed).toContain(text);
    expect(help.ran).toEqual(['asked for help']);
    expect(await read('--help')).toMatchObject({ ran: [], printed: expect.stringContaining('Pack a box.') });
    expect(await read()).toMatchObject({ ran: [], printed: expect.stringContaining('Pack a box.') });
  });

  it('loads no library and no framework before a command runs: help took 0.8 s with them', () => {
    const packages = new Set<string>();
    const seen = new Set<string>();
    const visit = (file: string): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const source = readFileSync(file, 'utf8');
      for (const [, from] of source.matchAll(/^(?:import|export) (?!type )(?:[^;]*? from )?'([^']+)';/gm))
        if (from!.startsWith('.')) visit(join(dirname(file), from!.replace(/\.js$/, '.ts')));
        else if (!from!.startsWith('node:')) packages.add(from!);
    };
    visit(join(import.meta.dirname, 'main.ts'));
    expect(seen.size).toBeGreaterThan(15);
    expect([...packages].sort()).toEqual(['commander', 'reflect-metadata']);
  });
});
