import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import { {{name}}Decider } from './{{file}}.js';

const {{name}}Id = '{{idPrefix}}_1';
const at = '2026-01-01T00:00:00.000Z';
const details = { name: 'First' };
const { given } = decide({{name}}Decider);

describe('a {{words}}', () => {
  it('is created once', () => {
    const create = { type: 'Create{{Name}}', at, {{name}}Id, details } as const;
    const created = { type: '{{Name}}Created', data: { {{name}}Id, at, ...details } } as const;
    given().when(create).then(created);
    given(created).when(create).then();
  });
});
