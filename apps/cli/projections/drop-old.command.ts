import { CliCommand } from '../cli-command.js';
import { Command, Option } from '../command-decorators.js';

/** The command `countinghouse projections drop-old`. */
@Command({
  name: 'drop-old',
  arguments: '[names...]',
  description: 'Drop the tables that the last rebuild replaced and kept.',
  argsDescription: { names: 'read models, as "countinghouse projections list" names them' },
})
export class ProjectionsDropOldCommand extends CliCommand {
  override async run(names: string[], { json, all }: { json?: boolean; all?: boolean }): Promise<void> {
    const { dropOldTables } = await import('./drop-old.js');
    const dropped = await dropOldTables(names, all, process.env);
    if (json) process.stdout.write(`${JSON.stringify({ dropped })}\n`);
    else
      process.stdout.write(
        dropped.length === 0 ? 'There are no old tables\n' : `Dropped ${dropped.join(', ')}\n`,
      );
  }

  @Option({
    flags: '--all',
    description: 'Drop the replaced tables of all read models, including read models that no longer exist',
  })
  all(): boolean {
    return true;
  }

  @Option({ flags: '--json', description: 'Print the names of the dropped tables as JSON' })
  json(): boolean {
    return true;
  }
}
