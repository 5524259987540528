import { Command, Option } from 'commander';
import { declaredBy, type CommandClass } from './command-decorators.js';

const HELP = ['-h', '--help', 'help'];

/**
 * The command line of a root command, whose commands are those below it, for the words that it is to read: texts that help ends with
 * are asked for where the words want help. What a command's `run`, or the reader of an option, throws comes out of `parseAsync`.
 *
 * @param version what `--version` prints
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
  const { spec, options, help } = declaredBy(commandClass.prototype as object);
  if (!spec) throw new Error(`${commandClass.name} is no command`);
  const instance = new commandClass();
  const methods = instance as unknown as Record<string, (...args: unknown[]) => unknown>;
  const command = new Command(spec.name)
    .description(spec.description)
    .allowExcessArguments(instance.takesMoreWords);
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
