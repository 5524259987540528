import { CliCommand } from './cli-command.js';
import { CliError } from './cli-error.js';

/** A command that only has subcommands. Without a subcommand, the command prints its help. */
export abstract class CommandGroup extends CliCommand {
  /** `run` handles an unknown subcommand itself, since its error message lists the known subcommands. */
  override readonly acceptsExtraArguments = true;

  override async run([word]: string[]): Promise<void> {
    if (word === undefined) return this.command.outputHelp();
    const names = this.command.commands.map((command) => command.name()).filter((name) => name !== 'help');
    throw new CliError(
      `There is no command "${this.command.name()} ${word}"; the commands of "${this.command.name()}" are ${names.join(', ')}`,
    );
  }
}
