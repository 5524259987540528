import type { Command } from 'commander';

/**
 * A command of the command line. Its class holds its name, options and help alone and loads its work when it runs, so
 * that `--help` need not load all of Countinghouse.
 */
export abstract class CliCommand {
  /** As the command line has it. */
  command!: Command;
  /** A word too many is a mistake, most often an option without its dashes. */
  readonly takesMoreWords: boolean = false;

  /** `words`: the arguments. `options`: what the methods that are marked as options made of those that were given. */
  abstract run(words: string[], options: object): Promise<void>;
}
