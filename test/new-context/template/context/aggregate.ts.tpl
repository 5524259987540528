import type { Instant } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { {{name}}Events, type {{Name}}Details, type {{Name}}Event } from './events.js';

/** A {{words}} as its events tell. */
export interface {{Name}} extends {{Name}}Details {
  {{name}}Id: string;
  createdAt: Instant;
}

export type {{Name}}Command = { type: 'Create{{Name}}'; at: Instant; {{name}}Id: string; details: {{Name}}Details };

export const {{name}}Decider = defineDecider<{{Name}}, {{Name}}Command, {{Name}}Event>({
  category: '{{name}}',
  events: {{name}}Events,
  decide(command, state) {
    switch (command.type) {
      case 'Create{{Name}}': {
        const { at, {{name}}Id, details } = command;
        return state ? [] : [{ type: '{{Name}}Created', data: { {{name}}Id, at, ...details } }];
      }
    }
  },
  evolve(_, event) {
    switch (event.type) {
      case '{{Name}}Created': {
        const { at, ...details } = event.data;
        return { ...details, createdAt: at };
      }
    }
  },
});
