"use strict";
// One turn of Pig, backwards from the goal: what is known of the turns after it is the chance at the start of each.
asking.start("pig", (fields, {goal, die, bust}, chances) => {
  const own = asking.number(fields.own, "own score", goal - 1);
  const other = asking.number(fields.other, "opponent's score", goal - 1);
  const total = asking.number(fields.turn, "turn total", goal - 1);
  if (own + total >= goal) {
    throw new asking.Refusal(fields.turn,
      `own score ${own} and turn total ${total} make the goal of ${goal}: the game is won`);
  }
  const passed = (score) => 1 - chances[other * goal + score];
  const best = []; // by turn total
  const after = (sum) => own + sum >= goal ? 1 : best[sum];
  const roll = (sum) => {
    let chance = passed(own);
    for (let face = 1; face <= die; face += 1) if (face !== bust) chance += after(sum + face);
    return chance / die;
  };
  for (let sum = goal - own - 1; sum > total; sum -= 1) best[sum] = Math.max(roll(sum), passed(own + sum));
  const options = [{name: "roll", chance: roll(total)}];
  if (total > 0) options.push({name: "hold", chance: passed(own + total)});
  return {
    title: `${own} to ${other}, turn total ${total}`, head: "Choice", options,
    note: total > 0 ? "" : "Nobody may hold before the first roll of a turn.",
  };
});
