/**
 * Asks a process whether it is ready until it is, and resolves to that answer. Each check gives up after two seconds, which a slow machine
 * can take, so a single answer can come too early.
 */
export async function untilReady<Answer extends { readonly status: number }>(
  ask: () => PromiseLike<Answer>,
): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status === 200) return answer;
  }
}
