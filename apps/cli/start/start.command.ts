import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';

/** The command `countinghouse start`. */
@Command({
  name: 'start',
  description:
    'Start Postgres, the event store, the API, the projector and the saga, each as its own process. Postgres is not started if ' +
    'DATABASE_URL is set, and the event store is not started if EVENTSTORE_URL is set. The first start with a DATA_DIR makes a demo, unless the database has users. ' +
    'Ctrl-C stops all.',
})
export class StartCommand extends CliCommand {
  override async run(_args: string[], options: { demo?: boolean }): Promise<void> {
    const { loadSettings } = await import('#libs/kernel/system');
    const settings = loadSettings(process.env);
    const { runInstanceUntilStopped } = await import('./run-instance-until-stopped.js');
    await runInstanceUntilStopped(settings, { createsDemo: options.demo ?? true });
  }

  @Option({ flags: '--no-demo', description: 'Do not create the demo workspace' })
  demo(): boolean {
    return false;
  }

  @AppendedHelp()
  async moreHelp(): Promise<string> {
    const { settingsHelp } = await import('./settings-help.js');
    return settingsHelp();
  }
}
