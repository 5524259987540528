import { Injectable } from '@nestjs/common';
import { CommandBus, type Command } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import type { HeldCommand, ProposedAction, ResourceReference } from '../requests/events.js';

/**
 * Describes one kind of command that can wait for approval: how to create the command from its stored data, and which resource it changes.
 */
export interface HeldCommandKind<Data extends object, Result> {
  /** The name in stored requests. It never changes. */
  readonly kind: string;
  createCommand(context: CommandContext, data: Data): Command<Result>;
  /**
   * Returns the action that the command would execute now, and stores nothing. Returns undefined if the command would change nothing, or has
   * run already. Throws the errors of the command.
   */
  propose(context: CommandContext, data: Data): Promise<ProposedAction | undefined>;
  /** Returns the resource that the command changed or created. `context` is that of the command. */
  resourceOf(result: Result, context: CommandContext): ResourceReference;
}

/** The kinds of commands that can wait for approval. Each handler of a command that can wait for approval registers its kind. */
@Injectable()
export class HeldCommandRegistry {
  private readonly kinds = new Map<string, HeldCommandKind<object, unknown>>();

  constructor(private readonly commands: CommandBus) {}

  /** @throws Error if the kind is registered already */
  register<Data extends object, Result>(kind: HeldCommandKind<Data, Result>): void {
    if (this.kinds.has(kind.kind)) throw new Error(`Two held commands have the kind ${kind.kind}`);
    this.kinds.set(kind.kind, kind);
  }

  /** Runs a command that waited for approval, and returns the resource that it changed or created. Throws the errors of the command. */
  async run(context: CommandContext, { kind: name, data }: HeldCommand): Promise<ResourceReference> {
    const kind = this.requireKind(name);
    return kind.resourceOf(await this.commands.execute(kind.createCommand(context, data)), context);
  }

  /** Returns the action that a command would execute now. Undefined if it would change nothing. Throws the errors of the command. */
  async propose(context: CommandContext, { kind, data }: HeldCommand): Promise<ProposedAction | undefined> {
    return this.requireKind(kind).propose(context, data);
  }

  private requireKind(name: string): HeldCommandKind<object, unknown> {
    const kind = this.kinds.get(name);
    if (!kind) throw new Error(`No held command has the kind ${name}`);
    return kind;
  }
}
