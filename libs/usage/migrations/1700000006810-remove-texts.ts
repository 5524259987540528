import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Removes the texts of usage that is kept for its quantities only. As with an erasure, the function runs as the owner of the log, since no
 * program may change its rows.
 *
 * text_removals: how far the texts of a series are removed. All its events up to (`timestamp`, `seq`) in that order have none, if their
 * `seq` is at most `head`. `checked_at` is an instant before that head was read.
 *
 * remove_texts: replaces the texts in a batch of a series' events before an instant, up to a head of the log. Texts stay where metrics
 * filter, group or compute by them, because invoices are computed again from them. `sql` has the texts of SQL metrics by event name; a
 * property whose name occurs in them stays too. Events that came later with an earlier time are found by the head. Returns the number of
 * events that it looked at. If that is less than a batch, nothing is left.
 */
export class RemoveTexts1700000006810 implements MigrationInterface {
  name = 'RemoveTexts1700000006810';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage.text_removals (
        series_id  int         PRIMARY KEY,
        timestamp  timestamptz NOT NULL,
        seq        bigint      NOT NULL,
        head       bigint      NOT NULL,
        checked_at timestamptz NOT NULL
      );

      CREATE FUNCTION usage.remove_texts(
        series int, until timestamptz, to_head bigint, checked timestamptz, sql jsonb, batch int
      ) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
      DECLARE
        mark usage.text_removals;
        named text;
        fixed text[];
        ahead int;
        behind int;
      BEGIN
        INSERT INTO usage.text_removals VALUES (series, '-infinity', 0, 0, '-infinity') ON CONFLICT DO NOTHING;
        SELECT * INTO mark FROM usage.text_removals r WHERE r.series_id = series FOR UPDATE;
        SELECT t.event_name INTO named FROM usage.series s JOIN usage.streams t ON t.id = s.stream_id WHERE s.id = series;
        fixed := array(
          SELECT f.value ->> 0 FROM usage.series s JOIN usage.meters m ON m.stream_id = s.stream_id,
            jsonb_array_elements(m.aggregation -> 'filter') f WHERE s.id = series
          UNION SELECT g FROM usage.series s JOIN usage.meters m ON m.stream_id = s.stream_id,
            jsonb_array_elements_text(m.aggregation -> 'groupBy') g WHERE s.id = series
          UNION SELECT m.aggregation ->> 'property' FROM usage.series s JOIN usage.meters m ON m.stream_id = s.stream_id
          WHERE s.id = series AND m.aggregation ->> 'property' IS NOT NULL
        );

        CREATE TEMP TABLE removing ON COMMIT DROP AS
          SELECT e.stream_id, e.seq, e.recorded_at, e.timestamp, e.properties FROM usage.events e
          WHERE e.series_id = series AND (e.timestamp, e.seq) > (mark.timestamp, mark.seq) AND e.timestamp < until
          ORDER BY e.timestamp, e.seq LIMIT batch;
        GET DIAGNOSTICS ahead = ROW_COUNT;
        INSERT INTO pg_temp.removing
          SELECT e.stream_id, e.seq, e.recorded_at, NULL, e.properties FROM usage.events e
          WHERE e.series_id = series AND (e.timestamp, e.seq) <= (mark.timestamp, mark.seq) AND e.seq > mark.head
            AND e.seq <= to_head AND e.recorded_at >= mark.checked_at
          ORDER BY e.seq LIMIT batch;
        GET DIAGNOSTICS behind = ROW_COUNT;

        UPDATE usage.events e SET properties = r.removed
        FROM (
          SELECT b.stream_id, b.seq, b.recorded_at, b.properties, usage.erased_properties(b.properties, NULL,
            fixed || array(
              SELECT p FROM jsonb_array_elements(sql) q, jsonb_object_keys(b.properties) p
              WHERE q ->> 'eventName' = named AND strpos(q ->> 'text', p) > 0
            ), '{}', '') AS removed
          FROM pg_temp.removing b WHERE b.seq <= to_head
        ) r
        WHERE e.stream_id = r.stream_id AND e.seq = r.seq AND e.recorded_at = r.recorded_at AND r.removed <> r.properties;

        UPDATE usage.text_removals r SET
          timestamp = coalesce(last.timestamp, mark.timestamp),
          seq = coalesce(last.seq, mark.seq),
          head = CASE WHEN ahead = batch THEN mark.head WHEN behind = batch THEN late.seq ELSE to_head END,
          checked_at = CASE WHEN ahead = batch OR behind = batch THEN mark.checked_at ELSE checked END
        FROM
          (SELECT max(b.seq) AS seq FROM pg_temp.removing b WHERE b.timestamp IS NULL) late
          LEFT JOIN LATERAL (
            SELECT b.timestamp, b.seq FROM pg_temp.removing b WHERE b.timestamp IS NOT NULL
            ORDER BY b.timestamp DESC, b.seq DESC LIMIT 1
          ) last ON true
        WHERE r.series_id = series;
        DROP TABLE pg_temp.removing;
        RETURN greatest(ahead, behind);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION usage.remove_texts; DROP TABLE usage.text_removals;');
  }
}
