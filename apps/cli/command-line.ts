import { Command, Option } from 'commander';
import { declarationsOf, type CommandClass } from './command-decorators.js';

const HELP = ['-h', '--help', 'help'];

/**
 * Builds the Commander command line of a root command and all its subcommands. The returned command's `parseAsync` throws the errors of a
 * command's `run` and of an option's parser.
 *
 * @param words the arguments that will be parsed; the `@AppendedHelp` methods are only called if these arguments ask for help
 * @param version the text that `--version` prints
 */
export async function commandLineOf(
  root: CommandClass,
  words: readonly string[],
  version: string,
): Promise<Command> {
  const wantsHelp = words.some((word) => HELP.includes(word));
  const line = await commandOf(root, words, wantsHelp);
  return line.version(version, '-V, --version', 'print the version');
}

async function commandOf(
  commandClass: CommandClass,
  words: readonly string[],
  wantsHelp: boolean,
): Promise<Command> {
  const { spec, options, helpMethods: help } = declarationsOf(commandClass.prototype as object);
  if (!spec) throw new Error(`The class ${commandClass.name} has no @Command decorator`);
  const instance = new commandClass();
  const methods = instance as unknown as Record<string, (...args: unknown[]) => unknown>;
  const command = new Command(spec.name)
    .description(spec.description)
    .allowExcessArguments(instance.acceptsExtraArguments);
  instance.command = command;
  for (const word of spec.arguments?.split(' ') ?? [])
    command.argument(word, spec.argsDescription?.[word.replace(/[^\w-]/g, '')] ?? '');
  for (const { spec: option, method } of options)
    command.addOption(
      new Option(option.flags, option.description)
        .makeOptionMandatory(option.required === true)
        .argParser((value, earlier) => methods[method]!(value, earlier)),
    );
  if (wantsHelp && words.includes(spec.name))
    for (const method of help) command.addHelpText('after', String(await methods[method]!()));
  command.action(() => instance.run(command.args, command.opts()));
  if (spec.subCommands) command.helpCommand(true);
  for (const below of spec.subCommands ?? []) command.addCommand(await commandOf(below, words, wantsHelp));
  return command;
}
