import type { Command } from 'commander';

/**
 * A command of the command line. The class of a command declares only the name, the options and the help of the command. `run` imports the
 * code that does the work, so that `--help` does not load all of Countinghouse.
 */
export abstract class CliCommand {
  /** The Commander object of this command. `commandLineOf` sets it. */
  command!: Command;
  /**
   * Tells whether the command accepts more arguments than it declares. By default, extra arguments are refused, because they are usually
   * options whose dashes were forgotten.
   */
  readonly acceptsExtraArguments: boolean = false;

  /**
   * Runs the command.
   *
   * @param words the arguments
   * @param options the values of the given options, as the methods marked with `@Option` returned them
   */
  abstract run(words: string[], options: object): Promise<void>;
}
