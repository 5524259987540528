import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import type { RebuildReadModelsOptions } from './rebuild.js';

/** The command `countinghouse projections rebuild`. */
@Command({
  name: 'rebuild',
  arguments: '[names...]',
  description:
    'Rebuild read models from the event log next to the live read models, and swap them. Readers are not interrupted.',
  argsDescription: { names: 'read models, as "countinghouse projections list" names them' },
})
export class ProjectionsRebuildCommand extends CliCommand {
  override async run(
    names: string[],
    { json, ...options }: RebuildReadModelsOptions & { json?: boolean },
  ): Promise<void> {
    const { describeReadModelsRebuild, rebuildReadModels } = await import('./rebuild.js');
    const rebuilt = await rebuildReadModels(names, options, process.env, process.stderr);
    process.stdout.write(json ? `${JSON.stringify(rebuilt)}\n` : describeReadModelsRebuild(rebuilt));
  }

  @Option({ flags: '--all', description: 'Rebuild all read models, with one reading of the log' })
  all(): boolean {
    return true;
  }

  @Option({
    flags: '--drop-old',
    description:
      'Do not keep the replaced tables. A read model that waits for a projector has replaced none yet',
  })
  dropOld(): boolean {
    return true;
  }

  @Option({
    flags: '--afresh',
    description: 'Start from the beginning instead of continuing an unfinished rebuild',
  })
  afresh(): boolean {
    return true;
  }

  @Option({
    flags: '--json',
    description: 'Print the result as JSON; the progress goes to the standard error',
  })
  json(): boolean {
    return true;
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'A rebuild can be stopped at any time, even by kill -9: the same command continues it. It only writes tables, and sends no',
      'webhook, mail or payment. If a handler fails while the log is read, the command names the event and its stream, leaves each live',
      'read model unchanged that was not swapped yet, and exits with 1.',
      'Read models of the same version as the live ones are swapped in one transaction. Read models of another version are swapped',
      'after them, in a second one. If a projector is at work, they wait for a projector of their version.',
      '',
      'Examples:',
      '  countinghouse projections rebuild customers invoices',
      '  countinghouse projections rebuild --all --drop-old',
    ].join('\n');
  }
}
