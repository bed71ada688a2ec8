"use strict";
// One roll of the bearoff: every legal play, and the opponent's chance on roll after it.
asking.start("bearoff", (fields, {checkers, positions, scale}, chances) => {
  const place = new Map(positions.map((text, k) => [text, k]));
  const counted = (field) => {
    const parts = field.value.split(",").map(asking.whole);
    const refuse = (sentence) => { throw new asking.Refusal(field, sentence); };
    if (parts.includes(null)) {
      refuse(`position '${asking.short(field.value)}': write six whole numbers, the ace point first, as in 0,0,0,0,1,2`);
    }
    const text = parts.join(",");
    const sum = parts.reduce((a, b) => a + b, 0);
    if (parts.length !== 6) refuse(`position '${text}' has ${parts.length} counts; write six, the ace point first`);
    if (Math.min(...parts) < 0) refuse(`position '${text}' has a negative count; write how many checkers stand on each point`);
    if (sum === 0) refuse(`position '${text}' is empty: this player has won; give at least one checker`);
    if (sum > checkers) {
      refuse(`position '${text}' has ${sum} checkers; this page holds up to ${checkers} a side, pymc-games bearoff advise more`);
    }
    return parts;
  };
  const [own, other] = [counted(fields.position), counted(fields.opponent)];
  const [ours, theirs] = [own, other].map((counts) => counts.join(","));
  const found = /^\s*(?:([1-6])[-, ]?([1-6]))?\s*$/.exec(fields.roll.value);
  if (!found) {
    throw new asking.Refusal(fields.roll,
      `roll '${asking.short(fields.roll.value)}': write two dice with faces 1 to 6, as in 6-5, or leave it empty`);
  }
  const chance = (mover, opponent) => chances[place.get(mover) * positions.length + place.get(opponent)];
  const before = `Before the roll your chance to win is ${asking.percent(chance(ours, theirs))}.`;
  if (!found[1]) return {title: `${ours} against ${theirs}`, note: before};
  const dice = [Number(found[1]), Number(found[2])].sort((a, b) => b - a);
  const options = [...plays(own, dice)].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([after, name]) => ({name, chance: /[1-9]/.test(after) ? 1 - chance(theirs, after) : 1}));
  return {title: `${ours} against ${theirs}, roll ${dice.join("-")}`, head: "Play", options, note: before};

  // Every position that a roll can lead to, and the first play found that does: the larger die first, from the highest point.
  function plays(counts, [high, low]) {
    const found = new Map();
    const walk = (now, left, steps) => {
      if (!left.length || !now.some(Boolean)) {
        if (!found.has(now.join(","))) found.set(now.join(","), steps.join(" "));
        return;
      }
      const [die, ...rest] = left;
      const highest = now.findLastIndex(Boolean) + 1;
      for (let point = highest; point >= 1; point -= 1) {
        if (!now[point - 1] || (die > point && point < highest)) continue;
        const after = [...now];
        after[point - 1] -= 1;
        if (point > die) after[point - die - 1] += 1;
        walk(after, rest, [...steps, `${point}/${point > die ? point - die : "off"}`]);
      }
    };
    for (const order of high === low ? [Array(4).fill(high)] : [[high, low], [low, high]]) walk(counts, order, []);
    return found;
  }
});
