//! The components that power rails supply, by the end of the rail's name on devices with Tensor.

#[rustfmt::skip]
const USUAL: &[(&str, &str)] = &[
    ("M_VDD_CPUCL0", "cpu.little"), ("M_VDD_CPUCL0_M", "cpu.little.mem"), ("M_VDD_CPUCL1", "cpu.mid"),
    ("M_VDD_CPUCL1_M", "cpu.mid.mem"), ("M_VDD_CPUCL2", "cpu.big"), ("M_VDD_INT", "system.fabric"),
    ("M_VDD_TPU", "tpu"), ("VSYS_PWR_DISP", "display"), ("VSYS_PWR_DISPLAY", "display"),
    ("M_DISP", "ldo.main.a.display"), ("VSYS_PWR_MODEM", "modem"), ("M_VDD_MIF", "memory.interface"),
    ("VSYS_PWR_WLAN_BT", "wifi.bt"), ("VSYS_PWR_MMWAVE", "mmwave"), ("S_VDD_AOC_RET", "aoc.memory"),
    ("S_VDD_AOC", "aoc.logic"), ("S_VDDQ_MEM", "ddr.a"), ("S_VDD2L", "ddr.b"), ("S_VDD2L_MEM", "ddr.b"),
    ("S_VDD2H_MEM", "ddr.c"), ("S_VDD_G3D", "gpu"), ("S_VDD_G3D_L2", "gpu.l2"), ("S_GNSS_CORE", "gps"),
    ("VSYS_PWR_RFFE", "radio.frontend"), ("VSYS_PWR_CAMERA", "camera"), ("S_VDD_CAM", "multimedia"),
    ("S_UDFPS", "udfps"), ("S_PLL_MIPI_UFS", "ufs"), ("M_LLDO1", "ldo.main.a"), ("M_LLDO2", "ldo.main.b"),
    ("S_LLDO1", "ldo.sub"),
];

/// The component that a rail supplies, if its name is known.
pub(super) fn usual_name(raw: &str) -> Option<&'static str> {
    let usual = USUAL.iter().find(|(end, _)| raw.ends_with(end));
    usual.map(|(_, name)| *name)
}
