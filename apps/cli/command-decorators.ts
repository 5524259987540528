import type { CliCommand } from './cli-command.js';

/** A command by its class. */
export type CommandClass = new () => CliCommand;

/** What a command is called and does. */
export interface CommandSpec {
  name: string;
  description: string;
  /** As usage shows them: `<file>` is required, `[names...]` may be left out or repeated. */
  arguments?: string;
  /** What each argument is, by its name. */
  argsDescription?: Record<string, string>;
  /** The commands below it, in the order of its help. */
  subCommands?: readonly CommandClass[];
}

/** An option, whose method makes its value of the text that was given. */
export interface OptionSpec {
  /** `--until <moment>`, or `--json` for one without a value. */
  flags: string;
  description: string;
  required?: boolean;
}

/** All that a command's class declares. */
export interface Declared {
  spec?: CommandSpec;
  readonly options: { readonly spec: OptionSpec; readonly method: string }[];
  /** Methods whose text stands below its help. */
  readonly help: string[];
}

const declarations = new WeakMap<object, Declared>();

/** Says which command the class is. */
export function Command(spec: CommandSpec): (target: CommandClass) => void {
  return ({ prototype }) => {
    declaredBy(prototype as object).spec = spec;
  };
}

/** Makes a method the reader of an option: it is called with the text, and what earlier ones of the same option came to. */
export function Option(spec: OptionSpec): (prototype: object, method: string) => void {
  return (prototype, method) => void declaredBy(prototype).options.push({ spec, method });
}

/** Makes what a method returns a part of the help, below everything else. It may be a promise: it is asked for when help is. */
export function Help(): (prototype: object, method: string) => void {
  return (prototype, method) => void declaredBy(prototype).help.push(method);
}

/** What the class of this prototype declares. */
export function declaredBy(prototype: object): Declared {
  const declared = declarations.get(prototype) ?? { options: [], help: [] };
  declarations.set(prototype, declared);
  return declared;
}
