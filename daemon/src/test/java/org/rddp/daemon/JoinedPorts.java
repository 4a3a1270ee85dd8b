package org.rddp.daemon;

import java.util.ArrayList;
import java.util.List;
import org.rddp.device.FrameDevice;
import org.rddp.ip.esp.EspCipher;

/** The devices of other ports, one after the other. */
class JoinedPorts implements Ports {
  private final List<Ports> all;

  JoinedPorts(Ports... all) {
    this.all = List.of(all);
  }

  @Override
  public List<? extends FrameDevice> devices() {
    List<FrameDevice> devices = new ArrayList<>();
    all.forEach(each -> devices.addAll(each.devices()));
    return devices;
  }

  @Override
  public void enter() {
    all.forEach(Ports::enter);
  }

  @Override
  public void leave() {
    all.forEach(Ports::leave);
  }

  @Override
  public void close() {
    all.forEach(Ports::close);
  }

  @Override
  public EspCipher.Factory ciphers() {
    return all.getFirst().ciphers();
  }
}
