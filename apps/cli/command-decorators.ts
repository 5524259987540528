import type { CliCommand } from './cli-command.js';

/** The class of a command. */
export type CommandClass = new () => CliCommand;

/** The name, the description and the arguments of a command. */
export interface CommandSpec {
  name: string;
  description: string;
  /** The arguments as the usage line shows them: `<file>` is required, `[names...]` is optional and can be repeated. */
  arguments?: string;
  /** The description of each argument, by the argument's name. */
  argsDescription?: Record<string, string>;
  /** The subcommands, in the order in which the help lists them. */
  subCommands?: readonly CommandClass[];
}

/** The flags and the description of an option. */
export interface OptionSpec {
  /** The flags, such as `--until <moment>`, or `--json` for an option without a value. */
  flags: string;
  description: string;
  /** Whether the command is refused without this option. By default it is not. */
  required?: boolean;
}

/** Everything that the decorators of a command class declare. */
export interface CommandDeclarations {
  spec?: CommandSpec;
  readonly options: { readonly spec: OptionSpec; readonly method: string }[];
  /** The names of the methods whose text is printed below the command's help. */
  readonly helpMethods: string[];
}

const declarations = new WeakMap<object, CommandDeclarations>();

/** Declares the name, description and arguments of the command that the class implements. */
export function Command(spec: CommandSpec): (target: CommandClass) => void {
  return ({ prototype }) => {
    declarationsOf(prototype as object).spec = spec;
  };
}

/**
 * Makes the decorated method the parser of an option. The method receives the text of the option, and the value so far if the option is
 * given more than once.
 */
export function Option(spec: OptionSpec): (prototype: object, method: string) => void {
  return (prototype, method) => void declarationsOf(prototype).options.push({ spec, method });
}

/**
 * Shows the text of the decorated method at the end of the command's help. The decorated method may return a promise. The decorated method
 * is called only for `--help`.
 */
export function AppendedHelp(): (prototype: object, method: string) => void {
  return (prototype, method) => void declarationsOf(prototype).helpMethods.push(method);
}

/** Returns the declarations of the class that has this prototype. The declarations begin with the options and help of the base class. */
export function declarationsOf(prototype: object): CommandDeclarations {
  const known = declarations.get(prototype);
  if (known) return known;
  const base = declarations.get(Object.getPrototypeOf(prototype) as object);
  const declared = { options: [...(base?.options ?? [])], helpMethods: [...(base?.helpMethods ?? [])] };
  declarations.set(prototype, declared);
  return declared;
}
