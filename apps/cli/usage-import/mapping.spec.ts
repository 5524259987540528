import { describe, expect, it } from '@jest/globals';
import { csvMapping, jsonMapping, type MappingOptions } from './mapping.js';

const map = (header: string[], fields: string[], options: Partial<MappingOptions> = {}, row = 1) =>
  csvMapping(header, { source: 'file.csv', ...options })(fields, row);

/** The options for fields that have no column in the file. */
const said = { customer: 'c', event: 'e', now: true };

describe('mapping the columns of a CSV file', () => {
  it('finds the fields by name and sends every other column as a property', () => {
    const event = map(
      ['customer_id', 'EventName', 'TIMESTAMP', 'Tokens', 'model'],
      ['c1', 'call', '2026-01-01', '12', 'small'],
    );
    expect(event).toMatchObject({
      customerId: 'c1',
      eventName: 'call',
      timestamp: '2026-01-01T00:00:00.000000Z',
      properties: { model: 'small' },
    });
    expect(JSON.stringify(event.properties)).toBe('{"Tokens":12,"model":"small"}');
  });

  it('reads a timestamp without an offset as UTC, keeps microseconds, and sends an invalid timestamp unchanged', () => {
    const at = (text: string) => map(['timestamp'], [text], { customer: 'c', event: 'e' }).timestamp;
    expect(at('2023-11-16 18:17:03.9799600')).toBe('2023-11-16T18:17:03.979960Z');
    expect(at('2026-01-01T00:00:00+02:00')).toBe('2025-12-31T22:00:00.000000Z');
    expect(at('yesterday')).toBe('yesterday');
  });

  it('sends numbers digit by digit, and omits empty cells', () => {
    const { properties } = map(['a', 'b', 'c', 'd'], ['9007199254740993', '0.10', '007', ''], said);
    expect(JSON.stringify(properties)).toBe('{"a":9007199254740993,"b":0.10,"c":"007"}');
  });

  it('sends only the named properties, with their types', () => {
    const { properties } = map(['n', 'zip', 'x'], ['1', '10115', '3'], {
      ...said,
      properties: ['units=n', 'postcode=zip:string'],
    });
    expect(JSON.stringify(properties)).toBe('{"units":1,"postcode":"10115"}');
  });

  it('makes the same key for the same row again, and another key for an equal row in another place or of another customer', () => {
    const key = (row: number, source = 'a.csv') => map(['n'], ['1'], { ...said, source }, row).idempotencyKey;
    expect(key(1)).toBe(key(1));
    expect(new Set([key(1), key(2), key(1, 'b.csv')]).size).toBe(3);
    const of = (more: object) => map(['n'], ['1'], { ...said, ...more }).idempotencyKey;
    expect(new Set([of({}), of({ customer: 'd' }), of({ event: 'f' })]).size).toBe(3);
    expect(map(['n', 'idempotencyKey'], ['1', 'mine'], said).idempotencyKey).toBe('mine');
  });

  it('says which column is missing', () => {
    expect(() => map(['n'], ['1'], { event: 'e' })).toThrow('--customer');
    expect(() => map(['n'], ['1'], { customer: 'c' })).toThrow('--event');
    expect(() => map(['n'], ['1'], { customer: 'c', event: 'e', timestampColumn: 'when' })).toThrow(
      '"when"; the file has n',
    );
    expect(() => map(['n'], ['1'], { ...said, properties: ['n'] })).toThrow('name=column');
  });

  it("uses the workspace's present time only with --now, and then for all column names", () => {
    expect(() => map(['n'], ['1'], { customer: 'c', event: 'e' })).toThrow(/--timestamp-column.*--now/);
    expect(map(['date', 'n'], ['monday', '1'], said)).toEqual({
      customerId: 'c',
      eventName: 'e',
      idempotencyKey: expect.any(String),
      properties: { date: 'monday', n: expect.anything() },
    });
    expect(() => map(['when'], ['1'], { ...said, timestampColumn: 'when' })).toThrow('exclude each other');
  });

  it('refuses a column that is named twice, by its name, because one of the two would be lost', () => {
    expect(() => map(['n', 'units', 'units'], ['1', '2', '3'], said)).toThrow(
      'The column "units" is in the header twice; give each column a name of its own',
    );
    expect(() => map(['n', '', ''], ['1', '', ''], said)).not.toThrow();
  });

  it.each([
    ['timestamp;units', 'semicolon'],
    ['timestamp\tunits', 'tab'],
    ['timestamp|units', 'pipe'],
  ])('tells the separator of the file with the header %j', (header, separator) => {
    expect(() => map([header], ['x'], { ...said, now: undefined })).toThrow(
      `The header has one column, ${JSON.stringify(header)}, so another character than a comma seems to separate the columns; ` +
        `give --separator ${separator}`,
    );
  });

  it.each<[Partial<MappingOptions>, string]>([
    [
      { customer: 'c', customerColumn: 'who' },
      '--customer and --customer-column exclude each other; give one',
    ],
    [{ event: 'e', eventColumn: 'what' }, '--event and --event-column exclude each other; give one'],
  ])('refuses %j, since one of the two would have no effect', (options, message) => {
    expect(() => map(['who', 'what'], ['1', '2'], { ...said, ...options })).toThrow(message);
  });
});

describe('mapping the lines of an NDJSON file', () => {
  it("sends the event's own fields, unless an option overrides them", () => {
    const event = { customerId: 'c', eventName: 'e', timestamp: '2026-01-01 10:00', properties: { n: 1 } };
    expect(jsonMapping({ source: 'f', event: 'call' })(event, 'line', 1)).toEqual({
      ...event,
      eventName: 'call',
      timestamp: '2026-01-01T10:00:00.000000Z',
      idempotencyKey: expect.stringMatching(/^import-/),
    });
  });

  it.each<[Partial<MappingOptions>, string]>([
    [{ customerColumn: 'who' }, '--customer-column'],
    [{ eventColumn: 'what' }, '--event-column'],
    [{ timestampColumn: 'when' }, '--timestamp-column'],
    [{ now: true }, '--now'],
    [{ keyColumn: 'id' }, '--key-column'],
    [{ properties: ['n=n'] }, '--property'],
    [{ separator: 'semicolon' }, '--separator'],
  ])('refuses %j, which is for CSV files only', (options, name) => {
    expect(() => jsonMapping({ source: 'f', ...options })).toThrow(
      `${name} is for .csv files only; leave it out, and name the fields of each line as POST /v1/events does`,
    );
  });
});
