import { CliCommand } from '../cli-command.js';
import { Command, Help, Option } from '../command-decorators.js';
import type { RebuildOptions } from './rebuild.js';

/** `countinghouse projections rebuild`. */
@Command({
  name: 'rebuild',
  arguments: '[names...]',
  description:
    'Make read models anew of the event log beside the live ones, and swap them in one transaction. Readers notice nothing.',
  argsDescription: { names: 'read models, as "countinghouse projections list" names them' },
})
export class ProjectionsRebuildCommand extends CliCommand {
  override async run(
    names: string[],
    { json, ...options }: RebuildOptions & { json?: boolean },
  ): Promise<void> {
    const { describeRebuilt, rebuildReadModels } = await import('./rebuild.js');
    const rebuilt = await rebuildReadModels(names, options, process.env, process.stderr);
    process.stdout.write(json ? `${JSON.stringify(rebuilt)}\n` : describeRebuilt(rebuilt));
  }

  @Option({ flags: '--all', description: 'Every read model, from one reading of the log' })
  all(): boolean {
    return true;
  }

  @Option({ flags: '--drop-old', description: 'Do not keep the tables that were live before' })
  dropOld(): boolean {
    return true;
  }

  @Option({ flags: '--afresh', description: 'Begin anew, also where an earlier rebuild was left half-done' })
  afresh(): boolean {
    return true;
  }

  @Option({
    flags: '--json',
    description: 'Print what came of it as JSON; progress goes to the standard error',
  })
  json(): boolean {
    return true;
  }

  @Help()
  what(): string {
    return [
      '',
      'It can be ended at any time, also by kill -9: the same command goes on from where it was. Only tables are written:',
      'no webhook, mail or payment comes of it. When a handler fails, it names the event and its stream, changes nothing',
      'that is live and exits with 1.',
      '',
      'Examples:',
      '  countinghouse projections rebuild customers invoices',
      '  countinghouse projections rebuild --all --drop-old',
    ].join('\n');
  }
}
