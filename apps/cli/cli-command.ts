import { CommandRunner } from 'nest-commander';

/**
 * A command of the command line. Its class holds its name, options and help alone and loads its work when it runs, so
 * that `--help` need not load all of Countinghouse.
 */
export abstract class CliCommand extends CommandRunner {
  override setCommand(command: Parameters<CommandRunner['setCommand']>[0]): this {
    // A word too many is a mistake, most often an option without its dashes.
    return super.setCommand(command.allowExcessArguments(false));
  }
}
