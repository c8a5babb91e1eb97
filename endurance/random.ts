// The random choices of experiments.

export function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item
}

export function between(least: number, most: number): number {
  return least + Math.random() * (most - least)
}
