import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';

/** The command `countinghouse projections status`. */
@Command({
  name: 'status',
  description:
    'Show whether the read models are current. The exit code is 1 if no projector is at work, or if a read model does not exist yet or ' +
    'waits for another version. A read model that is only behind does not change the exit code.',
})
export class ProjectionsStatusCommand extends CliCommand {
  override async run(_: string[], { json, watch }: { json?: boolean; watch?: boolean }): Promise<void> {
    if (watch) {
      const { showReadModelStates } = await import('./watch.js');
      return showReadModelStates(process.env, process.stdout, json === true);
    }
    const { describeReadModelStates, areReadModelsKeptCurrent, readReadModelStates } =
      await import('./states.js');
    const { toJsonLine: toJson } = await import('./json-line.js');
    const state = await readReadModelStates(process.env);
    process.stdout.write(json ? toJson(state) : describeReadModelStates(state));
    if (!areReadModelsKeptCurrent(state)) process.exitCode = 1;
  }

  @Option({
    flags: '--watch',
    description: 'Show the state until Ctrl-C, and update it every second; then exit with 0',
  })
  watch(): boolean {
    return true;
  }

  @Option({ flags: '--json', description: 'Print each state as one line of JSON' })
  json(): boolean {
    return true;
  }

  @AppendedHelp()
  examples(): string {
    return [
      '',
      'Examples:',
      '  countinghouse projections status',
      '  countinghouse projections status --watch',
    ].join('\n');
  }
}
