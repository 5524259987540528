import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import { parseCount } from '../parse-count.js';

const SHOWN = 20;

/** The command `countinghouse projections verify`. */
@Command({
  name: 'verify',
  arguments: '[names...]',
  description:
    'Build read models from the event log next to the live read models, and compare them row by row. The live read models are not changed. ' +
    'The exit code is 1 if anything differs.',
  argsDescription: { names: 'read models, as "countinghouse projections list" names them' },
})
export class ProjectionsVerifyCommand extends CliCommand {
  override async run(
    names: string[],
    { json, all, max = SHOWN }: { json?: boolean; all?: boolean; max?: number },
  ): Promise<void> {
    const { describeReadModelsVerification, verifyReadModels } = await import('./verify.js');
    const options = { max, ...(all ? { all } : {}) };
    const verified = await verifyReadModels(names, options, process.env, process.stderr);
    const { toJsonLine: toJson } = await import('./json-line.js');
    process.stdout.write(json ? toJson(verified) : describeReadModelsVerification(verified));
    if (verified.differences > 0) process.exitCode = 1;
    const { reportQuarantined } = await import('../events/quarantine.js');
    await reportQuarantined(process.env, json);
  }

  @Option({ flags: '--all', description: 'Verify all read models, with one reading of the log' })
  all(): boolean {
    return true;
  }

  @Option({
    flags: '--max <n>',
    description: `The maximum number of shown differences of a table; all are counted (default: ${SHOWN})`,
  })
  max(value: string): number {
    return parseCount('--max', value);
  }

  @Option({
    flags: '--json',
    description: 'Print the result as JSON; the progress goes to the standard error',
  })
  json(): boolean {
    return true;
  }

  @AppendedHelp()
  examples(): string {
    return [
      '',
      'Each read model is compared at one position of the log. Readers and the projector continue meanwhile.',
      '',
      'Examples:',
      '  countinghouse projections verify customers',
      '  countinghouse projections verify --all --json',
    ].join('\n');
  }
}
