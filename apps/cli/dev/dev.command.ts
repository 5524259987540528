import { Command, Help, Option } from 'nest-commander';
import { loadSettings } from '#libs/core';
import { CliCommand } from '../cli-command.js';
import { settingsHelp } from '../start/settings-help.js';

/** `countinghouse dev`. */
@Command({
  name: 'dev',
  description: 'Like start, and build and restart what a change to the sources affects.',
})
export class DevCommand extends CliCommand {
  override async run(_args: string[], options: { demo?: boolean }): Promise<void> {
    const settings = loadSettings(process.env);
    // Stacks with the lines of the sources; in production their cost is not worth it.
    process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --enable-source-maps`.trim();
    const [{ runUntilStopped }, { followChanges }] = await Promise.all([
      import('../start/run-until-stopped.js'),
      import('./follow-changes.js'),
    ]);
    await runUntilStopped(settings, { demo: options.demo ?? true, whileRunning: followChanges });
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
