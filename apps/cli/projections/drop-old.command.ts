import { CliCommand } from '../cli-command.js';
import { Command, Option } from '../command-decorators.js';

/** The command `countinghouse projections drop-old`. */
@Command({
  name: 'drop-old',
  arguments: '[names...]',
  description: 'Drop the tables that were live before the last rebuild, which are kept until then.',
  argsDescription: { names: 'read models, as "countinghouse projections list" names them' },
})
export class ProjectionsDropOldCommand extends CliCommand {
  override async run(names: string[], { json, all }: { json?: boolean; all?: boolean }): Promise<void> {
    const { dropOldTables } = await import('./drop-old.js');
    const dropped = await dropOldTables(names, all, process.env);
    if (json) process.stdout.write(`${JSON.stringify({ dropped })}\n`);
    else
      process.stdout.write(
        dropped.length === 0 ? 'Nothing was kept from before\n' : `Dropped ${dropped.join(', ')}\n`,
      );
  }

  @Option({ flags: '--all', description: 'Of every read model, also of those that there are no more' })
  all(): boolean {
    return true;
  }

  @Option({ flags: '--json', description: 'Print what was dropped as JSON' })
  json(): boolean {
    return true;
  }
}
