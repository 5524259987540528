import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';

/** The command `countinghouse dev`. */
@Command({
  name: 'dev',
  description: 'Like start, but rebuild changed sources and restart the affected programs.',
})
export class DevCommand extends CliCommand {
  override async run(_args: string[], options: { demo?: boolean }): Promise<void> {
    const { loadSettings } = await import('#libs/kernel/system');
    const settings = loadSettings(process.env);
    // Error stacks show the lines of the sources. In production this costs too much.
    process.env['NODE_OPTIONS'] = `${process.env['NODE_OPTIONS'] ?? ''} --enable-source-maps`.trim();
    const [{ runInstanceUntilStopped }, { rebuildOnChanges: followChanges }] = await Promise.all([
      import('../start/run-instance-until-stopped.js'),
      import('./rebuild-on-changes.js'),
    ]);
    await runInstanceUntilStopped(settings, {
      createsDemo: options.demo ?? true,
      whileRunning: followChanges,
    });
  }

  @Option({ flags: '--no-demo', description: 'Do not create the demo workspace' })
  demo(): boolean {
    return false;
  }

  @AppendedHelp()
  async moreHelp(): Promise<string> {
    const { settingsHelp } = await import('../start/settings-help.js');
    return settingsHelp();
  }
}
