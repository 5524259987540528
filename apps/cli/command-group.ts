import { CliCommand } from './cli-command.js';
import { CliError } from './cli-error.js';

/** A command that has others below it and does nothing by itself: it tells which there are. */
export abstract class CommandGroup extends CliCommand {
  /** They are looked at in `run`, which can say what there is instead. */
  override readonly takesMoreWords = true;

  override async run([word]: string[]): Promise<void> {
    if (word === undefined) return this.command.outputHelp();
    const names = this.command.commands.map((command) => command.name()).filter((name) => name !== 'help');
    throw new CliError(
      `There is no command "${this.command.name()} ${word}"; below "${this.command.name()}" there are ${names.join(', ')}`,
    );
  }
}
