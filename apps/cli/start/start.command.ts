import { Command, Help, Option } from 'nest-commander';
import { loadSettings } from '#libs/core';
import { CliCommand } from '../cli-command.js';
import { settingsHelp } from './settings-help.js';

/** `countinghouse start`. */
@Command({
  name: 'start',
  description:
    'Start everything: Postgres, the event store, API, projector and saga, each a process of its own. The first start makes a demo. Ctrl-C stops all.',
})
export class StartCommand extends CliCommand {
  override async run(_args: string[], options: { demo?: boolean }): Promise<void> {
    const settings = loadSettings(process.env);
    const { runUntilStopped } = await import('./run-until-stopped.js');
    await runUntilStopped(settings, { demo: options.demo ?? true });
  }

  @Option({ flags: '--no-demo', description: 'Make no demo workspace' })
  demo(): boolean {
    return false;
  }

  @Help('after')
  settings(): string {
    return settingsHelp();
  }
}
