import { CommandRunner, RootCommand } from 'nest-commander';
import { CliError } from './cli-error.js';

/** `countinghouse` without a command: prints the help. */
@RootCommand({
  name: 'countinghouse',
  description: 'Countinghouse, an event-sourced, usage-based billing engine.',
})
export class CountinghouseCommand extends CommandRunner {
  override async run(args: string[]): Promise<void> {
    const [unknown] = args;
    if (unknown !== undefined)
      throw new CliError(`There is no command "${unknown}"; "countinghouse --help" lists all`);
    this.command.outputHelp();
  }
}
