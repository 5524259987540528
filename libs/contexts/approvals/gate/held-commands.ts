import { Injectable } from '@nestjs/common';
import { CommandBus, type Command } from '@nestjs/cqrs';
import type { CommandContext } from '#libs/kernel/event-store';
import type { HeldCommand, ResourceReference } from '../requests/events.js';

/** How the commands of one kind are made again from their stored data, and what they result in. */
export interface HeldCommandKind<Data extends object, Result> {
  /** The name in stored requests. It never changes. */
  readonly kind: string;
  command(context: CommandContext, data: Data): Command<Result>;
  /** What the command changed or created. */
  result(result: Result): ResourceReference;
}

/** The kinds of commands that can be held. The handlers of those commands register them. */
@Injectable()
export class HeldCommands {
  private readonly kinds = new Map<string, HeldCommandKind<object, unknown>>();

  constructor(private readonly commands: CommandBus) {}

  /** @throws Error if the kind is registered already */
  register<Data extends object, Result>(kind: HeldCommandKind<Data, Result>): void {
    if (this.kinds.has(kind.kind)) throw new Error(`Two held commands have the kind ${kind.kind}`);
    this.kinds.set(kind.kind, kind);
  }

  /** Runs a stored command, and returns what it changed or created. Throws what the command throws. */
  async run(context: CommandContext, { kind: name, data }: HeldCommand): Promise<ResourceReference> {
    const kind = this.kinds.get(name);
    if (!kind) throw new Error(`No held command has the kind ${name}`);
    return kind.result(await this.commands.execute(kind.command(context, data)));
  }
}
