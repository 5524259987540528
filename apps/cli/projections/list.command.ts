import { CliCommand } from '../cli-command.js';
import { Command, Option } from '../command-decorators.js';

/** The command `countinghouse projections list`. */
@Command({
  name: 'list',
  description: 'Show the version, position, lag, size and state of each read model.',
})
export class ProjectionsListCommand extends CliCommand {
  override async run(_: string[], { json }: { json?: boolean }): Promise<void> {
    const { describeReadModelStates, readReadModelStates } = await import('./states.js');
    const { toJsonLine: toJson } = await import('./json-line.js');
    const state = await readReadModelStates(process.env);
    process.stdout.write(json ? toJson(state) : describeReadModelStates(state));
  }

  @Option({ flags: '--json', description: 'Print the read models as JSON' })
  json(): boolean {
    return true;
  }
}
