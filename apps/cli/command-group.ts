import { CommandRunner } from 'nest-commander';
import { CliError } from './cli-error.js';

/** A command that has others below it and does nothing by itself: it tells which there are. */
export abstract class CommandGroup extends CommandRunner {
  override setCommand(command: Parameters<CommandRunner['setCommand']>[0]): this {
    // The words are looked at in `run`, which can say what there is instead.
    return super.setCommand(command.allowExcessArguments(true));
  }

  override async run([word]: string[]): Promise<void> {
    if (word === undefined) return this.command.outputHelp();
    const names = this.command.commands.map((command) => command.name()).filter((name) => name !== 'help');
    throw new CliError(
      `There is no command "${this.command.name()} ${word}"; below "${this.command.name()}" there are ${names.join(', ')}`,
    );
  }
}
